import { readFileSync } from "node:fs";

/** Pages of the parse benchmark, largest vLLM ones first. */
export const pageNames = [
  "vllm-0.11.0-v1-dp2",
  "vllm-main-2026-v1",
  "vllm-0.11.0-v1-lora",
  "vllm-0.11.0-v1",
  "vllm-0.10.0-v1",
  "sglang-0.5.12-dp2",
  "trtllm-serve-1.0-unprefixed",
  "tgi-3.3",
] as const;

/** The bytes of a page in the repository's fixtures. */
export function readPage(name: string): Uint8Array {
  return readFileSync(new URL(`../../fixtures/metrics/${name}.prom`, import.meta.url));
}

/**
 * Copies of a page whose sample values differ, as those of a working server do, so that nothing can
 * be kept from one scrape to the next that a real server would change.
 */
export function variants(page: Uint8Array, count: number): readonly Uint8Array[] {
  const lines = new TextDecoder().decode(page).split("\n");
  return Array.from({ length: count }, (_, variant) => {
    const text = lines.map((line) => vary(line, variant)).join("\n");
    return new TextEncoder().encode(text);
  });
}

function vary(line: string, variant: number): string {
  const match = /^(vllm:num_requests_(?:running|waiting)\{.*\}) [\d.]+$/.exec(line);
  if (match !== null) return `${match[1]} ${variant * 7}.0`;
  const counter = /^([^#].*_(?:total|sum)(?:\{.*\})?) ([\d.]+)$/.exec(line);
  return counter === null ? line : `${counter[1]} ${Number(counter[2]) + variant * 31}`;
}
