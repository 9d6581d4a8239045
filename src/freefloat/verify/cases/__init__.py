"""The comparisons, one module per topic; `freefloat.verify.runner` imports them all."""
