import type {
  Counter,
  EndpointWriter,
  MeterLabels,
  PluginContext,
  PollingExtractor,
  PollingSource,
  TypedName,
} from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import {
  type PrometheusExtractor,
  type PrometheusPage,
  prometheusPage,
} from "@muster/core/prometheus";
import type { PrometheusSourceSettings } from "./config.ts";
import { tlsFromFiles } from "./credentials/tls-files.ts";
import { type FamilySelection, selectFamilies } from "./parser/index.ts";
import { EndpointScrape } from "./scrape/endpoint-scrape.ts";
import { Scraper } from "./scrape/scraper.ts";
import { createNodeTransport } from "./transport/node-transport.ts";
import type { Transport } from "./transport/transport.ts";

type SourceContext = PluginContext & { readonly typedName: TypedName };

/** Makes the source from checked settings; without transport, one on `node:http` of its own. */
export function makeSource(
  settings: PrometheusSourceSettings,
  context: SourceContext,
  transport: Transport = nodeTransport(settings, context),
): PollingSource<PrometheusPage> {
  const { typedName, clock } = context;
  const polls = new PagePolls(settings, context, transport);
  return createPollingDispatcher({
    typedName,
    payload: prometheusPage,
    interval: settings.interval,
    clock,
    poll: (endpoint, { signal }) => polls.poll(endpoint, signal),
    onAppend: (extractor) => polls.want(extractor),
    release: (endpointId) => polls.release(endpointId),
    stop: () => transport.close(),
  });
}

function nodeTransport(settings: PrometheusSourceSettings, context: SourceContext): Transport {
  return createNodeTransport({
    tls: tlsFromFiles(settings, context.clock),
    allowedTargets: settings.allowedTargets,
  });
}

/** Gets and parses pages, and keeps what is worth keeping per endpoint. */
class PagePolls {
  readonly #scraper: Scraper;
  readonly #endpoints = new Map<string, EndpointScrape>();
  readonly #labels: MeterLabels;
  readonly #bytes: Counter;
  readonly #skipped: Counter;
  #selection: FamilySelection = selectFamilies([]);

  constructor(settings: PrometheusSourceSettings, context: SourceContext, transport: Transport) {
    this.#scraper = new Scraper(settings, transport, context.clock);
    this.#labels = { source_type: context.typedName.type };
    const labels = Object.keys(this.#labels);
    this.#bytes = context.metrics.counter({
      name: "muster_datalayer_scrape_bytes_total",
      help: "Bytes of the pages polled, inflated.",
      labels,
    });
    this.#skipped = context.metrics.counter({
      name: "muster_datalayer_skipped_lines_total",
      help: "Lines of wanted metrics that could not be understood.",
      labels,
    });
  }

  async poll(endpoint: EndpointWriter, signal: AbortSignal): Promise<PrometheusPage> {
    const state = this.#stateOf(endpoint.id);
    const response = await this.#scraper.scrape(endpoint.metadata, state, signal);
    this.#bytes.add(response.body.byteLength, this.#labels);
    const page = state.parser(this.#selection).parse(response.body, response);
    if (page.skipped > 0) this.#skipped.add(page.skipped, this.#labels);
    return page;
  }

  /** Widens the selection; an extractor that does not say what it wants gets everything. */
  want(extractor: PollingExtractor<PrometheusPage>): void {
    const { families = ["*"] } = extractor as Partial<PrometheusExtractor>;
    this.#selection = selectFamilies([...this.#selection.families, ...families]);
  }

  release(endpointId: string): void {
    this.#endpoints.delete(endpointId);
  }

  #stateOf(endpointId: string): EndpointScrape {
    const known = this.#endpoints.get(endpointId);
    if (known !== undefined) return known;
    const state = new EndpointScrape();
    this.#endpoints.set(endpointId, state);
    return state;
  }
}
