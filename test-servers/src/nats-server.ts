import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-port.ts";
import { until } from "./poll.ts";
import { ServerProcess } from "./server-process.ts";
import { requireService } from "./services.ts";
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
export interface NatsServer extends AsyncDisposable {
  readonly port: number;
  /** `nats://127.0.0.1:port`. */
  readonly url: string;
  /** The end of its log. */
  readonly log: string;
  /** SIGTERM. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data; stops it first when it runs. */
  restart(): Promise<void>;
  /** SIGSTOP: it keeps its connections and answers nothing. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Kills it and starts it with nothing. */
  wipe(): Promise<void>;
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
  for (let attempt = 1; ; attempt++) {
    const [port = 0, monitoring = 0] = await freePorts(2);
    const server = new TestNats(binary, { ...options, port, monitoring });
    try {
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      // somebody took a port in between
      if (attempt === 3 || !server.log.includes("address already in use")) throw error;
    }
  }
}

interface NatsPorts extends NatsOptions {
  readonly port: number;
  readonly monitoring: number;
}

class TestNats implements NatsServer {
  readonly port: number;
  readonly url: string;
  readonly #options: NatsPorts;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "muster-nats-"));
  readonly #process: ServerProcess;

  constructor(binary: string, options: NatsPorts) {
    this.#options = options;
    this.port = options.port;
    this.url = `nats://127.0.0.1:${options.port}`;
    this.#configure(options.config ?? "");
    this.#process = new ServerProcess(binary, ["-c", this.#file]);
  }

  get log(): string {
    return this.#process.output;
  }

  async start(): Promise<void> {
    this.#process.start();
    await until(() => this.#healthy(), "nats-server is healthy").catch((error: Error) => {
      throw new Error(`${error.message}; it said:\n${this.log}`);
    });
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  pause(): void {
    this.#process.pause();
  }

  resume(): void {
    this.#process.signal("SIGCONT");
  }

  async wipe(): Promise<void> {
    await this.kill();
    rmSync(this.#data, { recursive: true, force: true });
    await this.start();
  }

  reconfigure(config: string): void {
    this.#configure(config);
    this.#process.signal("SIGHUP");
  }

  async monitor(path: string): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.#options.monitoring}${path}`);
    return await answer.json();
  }

  async consumers(): Promise<number> {
    return ((await this.monitor("/jsz")) as { consumers: number }).consumers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
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

  async #healthy(): Promise<boolean> {
    if (!this.#process.running) throw new Error("nats-server ended");
    try {
      return ((await this.monitor("/healthz")) as { status: string }).status === "ok";
    } catch {
      // it does not listen yet
      return false;
    }
  }
}

const quote = (path: string): string => JSON.stringify(path);
