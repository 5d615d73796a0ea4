import type { EndpointMetadata } from "@muster/core";
import { createPageParser, type FamilySelection, type PageParser } from "../parser/index.ts";
import type { ScrapeTarget } from "../transport/transport.ts";
import { type TargetDefaults, targetOf } from "./target.ts";

/** What is kept per endpoint from poll to poll. */
export class EndpointScrape {
  #metadata: EndpointMetadata | undefined;
  #target: ScrapeTarget | undefined;
  #selection: FamilySelection | undefined;
  #parser: PageParser | undefined;
  /** Where the server redirected to, while that works. */
  redirected: ScrapeTarget | undefined;

  /** The same object for as long as the endpoint's metadata are the same. */
  target(metadata: EndpointMetadata, defaults: TargetDefaults): ScrapeTarget {
    if (this.#target === undefined || this.#metadata !== metadata) {
      this.#metadata = metadata;
      this.#target = targetOf(metadata, defaults);
      this.redirected = undefined;
    }
    return this.#target;
  }

  parser(selection: FamilySelection): PageParser {
    if (this.#parser === undefined || this.#selection !== selection) {
      this.#selection = selection;
      this.#parser = createPageParser({ families: selection });
    }
    return this.#parser;
  }
}
