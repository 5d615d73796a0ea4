import { toMusterError } from "@muster/core";
import type { DiscoveryFeed, WatchEvent } from "@muster/core/plane";
import type { RecordView } from "./record-view.ts";

/** Hands what happens in a bucket to a stream, until one of both ends. Never rejects. */
export async function follow(
  watch: AsyncIterable<WatchEvent>,
  view: RecordView,
  feed: DiscoveryFeed,
): Promise<void> {
  try {
    for await (const event of watch) {
      if (event.type === "Put") view.put(event.key, event.value, feed);
      else if (event.type === "Delete") view.delete(event.key, feed);
      else feed.replace(view.replace(event.entries));
    }
    feed.end();
  } catch (error) {
    feed.end(toMusterError(error, "INTERNAL"));
  }
}
