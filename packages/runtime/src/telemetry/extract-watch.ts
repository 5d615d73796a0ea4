import type { Counter } from "@muster/core";
import { type DispatchResult, formatTypedName, type Logger } from "@muster/core";
import type { PollTask } from "../collect/poll-task.ts";

/** Counts failures of extractors, and logs when one begins or stops failing on an endpoint. */
export class ExtractWatch {
  readonly #logger: Logger;
  readonly #errors: Counter;

  constructor(logger: Logger, errors: Counter) {
    this.#logger = logger;
    this.#errors = errors;
  }

  /** The result of a poll by which something failed, or which follows one. */
  look(task: PollTask, { failed }: DispatchResult): void {
    const { binding, session } = task;
    const names = new Set<string>();
    for (const { extractor, code, message } of failed) {
      const name = formatTypedName(extractor);
      names.add(name);
      this.#errors.add(1, { ...binding.labels, extractor_type: extractor.type });
      if (task.failing?.has(name)) continue;
      const fields = { endpoint: session.record.id, extractor: name, code, error: message };
      this.#logger.warn(fields, "extractor began to fail on an endpoint");
    }
    for (const extractor of task.failing ?? [])
      if (!names.has(extractor))
        this.#logger.info(
          { endpoint: session.record.id, extractor },
          "extractor works again on an endpoint",
        );
    task.failing = names.size > 0 ? names : undefined;
  }
}
