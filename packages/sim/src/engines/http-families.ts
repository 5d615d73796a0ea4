import type { Family } from "../page/family.ts";
import { HttpTraffic, type SizeSummary } from "../page/http-traffic.ts";
import { labelsText } from "../page/labels.ts";
import { numberText } from "../page/number-text.ts";
import { histogramPrefixes } from "../page/page.ts";

/** What prometheus-fastapi-instrumentator, which vLLM mounts, says of the requests answered so far. */
export function httpFamilies(traffic: HttpTraffic): readonly Family[] {
  const allPrefixes = histogramPrefixes(
    "http_request_duration_highr_seconds",
    {},
    HttpTraffic.fineBounds,
  );
  return [
    {
      kind: "custom",
      name: "http_requests_total",
      type: "counter",
      help: "Requests by handler, method and status class.",
      lines: kept(traffic, () => requestLines(traffic)),
    },
    sizeFamily(traffic, "http_request_size_bytes", "Bytes of request bodies by handler."),
    sizeFamily(traffic, "http_response_size_bytes", "Bytes of response bodies by handler."),
    {
      kind: "custom",
      name: "http_request_duration_highr_seconds",
      type: "histogram",
      help: "Latency of all requests, in many buckets.",
      lines: () => traffic.allDurations.text(allPrefixes, "sum-last"),
    },
    {
      kind: "custom",
      name: "http_request_duration_seconds",
      type: "histogram",
      help: "Latency by handler, in few buckets.",
      lines: kept(traffic, () => durationLines(traffic)),
    },
  ];
}

/** Makes the text again only after a request. */
function kept(traffic: HttpTraffic, make: () => string): () => string {
  let revision = -1;
  let text = "";
  return () => {
    if (revision !== traffic.revision) {
      revision = traffic.revision;
      text = make();
    }
    return text;
  };
}

function requestLines(traffic: HttpTraffic): string {
  let text = "";
  for (const { labels, count } of traffic.requests.values()) {
    const [handler, method, status] = labels;
    text += `http_requests_total${labelsText({ handler, method, status })} ${numberText(count)}\n`;
  }
  return text;
}

function sizeFamily(
  traffic: HttpTraffic,
  name: "http_request_size_bytes" | "http_response_size_bytes",
  help: string,
): Family {
  const sizes: ReadonlyMap<string, SizeSummary> =
    name === "http_request_size_bytes" ? traffic.requestSizes : traffic.responseSizes;
  const lines = kept(traffic, () => {
    let text = "";
    for (const [handler, { count, sum }] of sizes) {
      const labels = labelsText({ handler });
      text += `${name}_count${labels} ${numberText(count)}\n${name}_sum${labels} ${numberText(sum)}\n`;
    }
    return text;
  });
  return { kind: "custom", name, type: "summary", help, lines };
}

function durationLines(traffic: HttpTraffic): string {
  let text = "";
  for (const { labels, histogram } of traffic.durations.values()) {
    const [handler, method] = labels;
    const prefixes = histogramPrefixes(
      "http_request_duration_seconds",
      { handler, method },
      HttpTraffic.coarseBounds,
    );
    text += histogram.text(prefixes, "sum-last");
  }
  return text;
}
