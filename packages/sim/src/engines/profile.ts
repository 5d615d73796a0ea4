import type { LoraUsage } from "../engine/lora-usage.ts";
import type { Family } from "../page/family.ts";
import type { HistogramOrder } from "../page/histogram.ts";
import type { HttpTraffic } from "../page/http-traffic.ts";
import type { Labels } from "../page/labels.ts";
import type { ProcessView } from "../page/process-view.ts";
import type { ModelServerSettings } from "../server/options.ts";

/** What an engine's families may look at beside the ranks' load. */
export interface PageContext {
  readonly settings: ModelServerSettings;
  readonly process: ProcessView;
  readonly traffic: HttpTraffic;
  readonly loras: LoraUsage;
}

/** How one version of an engine shows itself. */
export interface EngineProfile {
  /** Path of the text page. */
  readonly metricsPath: string;
  /** Path of the iteration statistics in JSON, for engines that have them. */
  readonly statsPath?: string | undefined;
  /** Prefix of the routes that load and unload adapters at run time; unset: there are none. */
  readonly loraRoutePrefix?: string | undefined;
  readonly ownedBy: string;
  /** What `/version` answers. */
  readonly version: string;
  readonly order: HistogramOrder;
  readonly families: (context: PageContext) => readonly Family[];
  readonly labels: (
    context: PageContext,
    rank: number | undefined,
    type: "gauge" | "counter" | "histogram",
  ) => Labels;
}
