"""Air-bearing platforms and the floors that they glide on."""
