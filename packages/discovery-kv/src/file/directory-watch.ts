import { watch } from "node:fs";

/** Watches one directory for names that come, go or change; null: any. May throw. */
export type WatchDirectory = (
  path: string,
  onEvent: (name: string | null) => void,
  onError: (error: unknown) => void,
) => { close(): void };

/** The events of the operating system. */
export const systemWatch: WatchDirectory = (path, onEvent, onError) => {
  const watcher = watch(path, (_type, name) => onEvent(name));
  // also when it is closed, on Bun
  watcher.on("error", onError);
  return watcher;
};
