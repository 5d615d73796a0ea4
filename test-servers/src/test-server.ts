import { freePorts } from "./free-port.ts";
import { until } from "./poll.ts";
import type { ServerProcess } from "./server-process.ts";

/** A real server of a test, its data in a folder of its own. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
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
  /** Kills it and starts it with nothing: another server at the same address. */
  wipe(): Promise<void>;
}

/** What starting and stopping has in common, whatever the server. */
export abstract class ProcessServer implements TestServer {
  abstract readonly port: number;
  protected abstract readonly name: string;
  protected abstract readonly process: ServerProcess;

  /** Removes its data; it does not run. */
  protected abstract forget(): void;
  /** Rejects or false while it does not answer. */
  protected abstract answers(): Promise<boolean>;

  get log(): string {
    return this.process.output;
  }

  /** Resolves when it is healthy. */
  async start(): Promise<void> {
    this.process.start();
    await until(() => this.#healthy(), `${this.name} is healthy`).catch((error: Error) => {
      throw new Error(`${error.message}; it said:\n${this.log}`);
    });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  pause(): void {
    this.process.pause();
  }

  resume(): void {
    this.process.signal("SIGCONT");
  }

  async wipe(): Promise<void> {
    await this.kill();
    this.forget();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.forget();
  }

  async #healthy(): Promise<boolean> {
    if (!this.process.running) throw new Error(`${this.name} ended`);
    // until it listens, asking it fails
    return await this.answers().catch(() => false);
  }
}

/** Starts a server on that many free ports; resolves when it is healthy. */
export async function startOnFreePorts<T extends ProcessServer>(
  count: number,
  create: (...ports: number[]) => T,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const server = create(...(await freePorts(count)));
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
