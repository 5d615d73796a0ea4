import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "./server-process.ts";
import { requireService } from "./services.ts";
import { ProcessServer, startOnFreePorts, type TestServer } from "./test-server.ts";
import { testTls } from "./tls-files.ts";

/** How a test's nats-server is started. */
export interface NatsOptions {
  /** TLS with the certificate of that name; clients must show a certificate of the CA. */
  readonly tls?: "server" | "misnamed" | undefined;
  /** Default true. */
  readonly jetstream?: boolean | undefined;
  /** Further lines of its configuration file, such as an `authorization` block. */
  readonly config?: string | undefined;
}

/** A real nats-server with JetStream, its data in a folder of its own. */
export interface NatsServer extends TestServer {
  /** `nats://127.0.0.1:port`. */
  readonly url: string;
  /** Rewrites {@link NatsOptions.config} and makes it read it, keeping its connections. */
  reconfigure(config: string): void;
  /** What its monitoring says: `/jsz?consumers=1`, `/connz`. */
  monitor(path: string): Promise<unknown>;
  /** Consumers it has, of all streams. */
  consumers(): Promise<number>;
}

/** Starts nats-server on free ports; resolves when it is healthy. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const binary = requireService("nats");
  return await startOnFreePorts(
    2,
    (port = 0, monitoring = 0) => new TestNats(binary, { ...options, port, monitoring }),
  );
}

interface NatsPorts extends NatsOptions {
  readonly port: number;
  readonly monitoring: number;
}

class TestNats extends ProcessServer implements NatsServer {
  protected readonly name = "nats-server";
  protected readonly process: ServerProcess;
  readonly port: number;
  readonly url: string;
  readonly #options: NatsPorts;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "muster-nats-"));

  constructor(binary: string, options: NatsPorts) {
    super();
    this.#options = options;
    this.port = options.port;
    this.url = `nats://127.0.0.1:${options.port}`;
    this.#configure(options.config ?? "");
    this.process = new ServerProcess(binary, ["-c", this.#file]);
  }

  reconfigure(config: string): void {
    this.#configure(config);
    this.process.signal("SIGHUP");
  }

  async monitor(path: string): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.#options.monitoring}${path}`);
    return await answer.json();
  }

  async consumers(): Promise<number> {
    return ((await this.monitor("/jsz")) as { consumers: number }).consumers;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  protected forget(): void {
    rmSync(this.#data, { recursive: true, force: true });
  }

  protected async answers(): Promise<boolean> {
    return ((await this.monitor("/healthz")) as { status: string }).status === "ok";
  }

  get #file(): string {
    return join(this.#folder, "server.conf");
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  #configure(config: string): void {
    const { port, monitoring, tls, jetstream = true } = this.#options;
    const secure =
      tls === undefined
        ? ""
        : `tls { cert_file: ${quote(testTls[tls].cert)}, key_file: ${quote(testTls[tls].key)},
  ca_file: ${quote(testTls.ca)}, verify: true }`;
    const text = `host: "127.0.0.1"
port: ${port}
http: "127.0.0.1:${monitoring}"
${jetstream ? `jetstream { store_dir: ${quote(this.#data)} }` : ""}
${secure}
${config}
`;
    writeFileSync(this.#file, text);
  }
}

const quote = (path: string): string => JSON.stringify(path);
