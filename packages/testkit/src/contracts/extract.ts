import {
  type EndpointWriter,
  type ExtractFailure,
  type Extractor,
  producedAttributes,
  systemClock,
} from "@muster/core";
import { createWriteHandle, defaultExtractTimeout, runExtractor } from "@muster/core/dispatch";

/** How fast an extractor has to be. */
export interface Pace {
  /** Longest time of one extraction, ms; default 1,000, the time-out of sources. */
  readonly patience?: number | undefined;
}

/** Runs an extractor as a source does: with a handle for its declared attributes, failures caught. */
export async function extract<In>(
  extractor: Extractor<In>,
  endpoint: EndpointWriter,
  { patience = defaultExtractTimeout }: Pace,
  input: (handle: EndpointWriter) => In,
): Promise<ExtractFailure | undefined> {
  const handle = createWriteHandle(endpoint, { attributes: producedAttributes(extractor) });
  const { signal } = new AbortController();
  const run = { handle, input, signal, clock: systemClock, timeout: patience };
  return await runExtractor(extractor, run);
}
