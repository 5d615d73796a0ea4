/** 1, 2, 5, 10, ... up to `max`. */
function oneTwoFive(max: number): readonly number[] {
  const bounds: number[] = [];
  for (let power = 1; power <= max; power *= 10)
    for (const step of [1, 2, 5]) if (step * power <= max) bounds.push(step * power);
  return bounds;
}

/** Tokens of a request; vLLM derives them from the model's length, here 131,072. */
export const tokenBounds: readonly number[] = oneTwoFive(100_000);

/** `n` of a request. */
export const choiceBounds: readonly number[] = oneTwoFive(20);

/** vLLM and TensorRT-LLM: seconds of a whole request or one of its phases. */
export const requestSeconds: readonly number[] = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
];

/** vLLM and TensorRT-LLM: seconds to the first token. */
export const firstTokenSeconds: readonly number[] = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
  160, 640, 2560,
];

/** vLLM and TensorRT-LLM: seconds between tokens. */
export const tokenSeconds: readonly number[] = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
