def summarise(folder, frame, about):
    return {}
