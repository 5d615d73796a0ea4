import type { Clock, Logger, MusterError } from "@muster/core";
import { formatHexId } from "@muster/core/plane";
import type { EtcdStoreSettings } from "./config.ts";
import type { Gateway } from "./gateway.ts";
import { Lease } from "./lease.ts";
import { LeaseCalls } from "./lease-calls.ts";
import { OwnRecords } from "./own-records.ts";
import { putBack, RecordWriter } from "./record-writer.ts";
import type { StoreMetrics } from "./store-metrics.ts";

/** What {@link createLease} needs. */
export interface LeaseParts {
  readonly settings: EtcdStoreSettings;
  readonly gateway: Gateway;
  readonly leaseGateway: Gateway;
  readonly leaseId: bigint;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: StoreMetrics;
  onFailure(error: MusterError): void;
}

/** A lease, and the writer whose records hang on it and are written again when it was lost. */
export function createLease(parts: LeaseParts): {
  readonly lease: Lease;
  readonly writer: RecordWriter;
} {
  const { settings, gateway, leaseGateway, leaseId, clock, logger, metrics, onFailure } = parts;
  const own = new OwnRecords({ gateway, leaseId, logger });
  const calls = new LeaseCalls(leaseGateway, leaseId);
  const fields = { store: "etcd", lease: formatHexId(leaseId) };
  const lease = new Lease({
    calls,
    clock,
    id: leaseId,
    ttl: settings.ttl,
    timeout: settings.requestTimeout,
    fatal: settings.leaseLoss === "fatal",
    on: {
      restore: async (options) => {
        const records = await own.restore((each) => putBack({ gateway, leaseId }, each, options));
        metrics.restored(records);
        logger.info({ ...fields, records }, "our records are registered again");
      },
      renewed: (options) => own.reconcile((limits) => calls.keys(limits), options),
      overdue: ({ code, message }) => logger.warn({ ...fields, code }, message),
      lost: ({ code, message }) => {
        metrics.leaseLost();
        logger.warn({ ...fields, code }, message);
      },
      missing: ({ code, message }) =>
        logger.warn({ ...fields, code }, `the lease is not there yet: ${message}`),
      recovered: () => logger.info(fields, "the lease is alive again"),
      failed: onFailure,
    },
  });
  return { lease, writer: new RecordWriter({ gateway, lease, leaseId, own }) };
}
