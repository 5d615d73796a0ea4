import { MusterError } from "@muster/core";

/** The client library, as much of it as is used. */
export interface NatsClient {
  readonly transport: typeof import("@nats-io/transport-node");
  readonly jetstream: typeof import("@nats-io/jetstream");
}

/** The packages to install beside ours. */
const clientPackages: readonly string[] = ["@nats-io/transport-node", "@nats-io/jetstream"];

/**
 * Loads the client library, which users of other stores do not need.
 *
 * @throws MusterError STORE_CLIENT when it is not installed
 */
export async function loadNatsClient(
  load: () => Promise<NatsClient> = importClient,
): Promise<NatsClient> {
  try {
    return await load();
  } catch (cause) {
    const names = clientPackages.join(" ");
    throw new MusterError(
      "STORE_CLIENT",
      `the NATS store needs ${names}, which cannot be loaded; install them: npm install ${names}`,
      { cause },
    );
  }
}

async function importClient(): Promise<NatsClient> {
  const [transport, jetstream] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
  ]);
  return { transport, jetstream };
}
