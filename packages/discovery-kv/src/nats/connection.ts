import { MusterError, type PluginContext } from "@muster/core";
import { throwIfAborted } from "@muster/core/plane";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection as Wire } from "@nats-io/transport-node";
import { bounded, untilLost } from "./bounded.ts";
import { loadNatsClient, type NatsClient } from "./client.ts";
import type { NatsStoreSettings } from "./config.ts";
import { connectOptions } from "./connect-options.ts";
import { toStoreError } from "./errors.ts";
import { Fuse } from "./fuse.ts";
import { LibrarySockets } from "./library-sockets.ts";

interface Connected {
  readonly client: NatsClient;
  readonly wire: Wire;
  readonly streams: JetStreamManager;
  readonly publisher: JetStreamClient;
}

/** One stretch of time in which we are connected. */
export interface Session extends Connected {
  /** Blown when the connection is lost. */
  readonly lost: Fuse;
}

/** Options of {@link NatsConnection.run}. */
export interface RunOptions {
  /** What it is about, for messages. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** Doing it twice does no harm: it is done again, within the same time, when the connection is lost. */
  readonly repeatable?: boolean | undefined;
}

/** The connection of one store: made at first use, made again by the library without limit. */
export class NatsConnection {
  readonly #settings: NatsStoreSettings;
  readonly #context: PluginContext;
  readonly #listeners = new Set<() => void>();
  readonly #sockets = new LibrarySockets();
  /** Blown when the store is closed, by STORE_CLOSED. */
  readonly closing: Fuse = new Fuse();
  #wire: Wire | undefined;
  #connecting: Promise<void> | undefined;
  #session: Session | undefined;
  #problem: MusterError | undefined;

  constructor(settings: NatsStoreSettings, context: PluginContext) {
    this.#settings = settings;
    this.#context = context;
  }

  /** Calls back at each new session, until the returned function is called. */
  onSession(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs requests in a session, waiting for one; all of it within the request time-out. Losing the
   * connection meanwhile is a failure of what is not repeatable: it may or may not have been done.
   */
  async run<T>(options: RunOptions, work: (session: Session) => Promise<T>): Promise<T> {
    const { what, signal } = options;
    const caller = { over: false };
    try {
      throwIfAborted(what, signal);
      this.closing.throwIfBlown();
      const { clock } = this.#context;
      const timeout = this.#settings.requestTimeout;
      const done = this.#attempt(options, work, caller);
      return await bounded(done, { what, signal, clock, timeout, lost: this.closing });
    } catch (error) {
      throw this.#explained(toStoreError(error, what));
    } finally {
      caller.over = true;
    }
  }

  async #attempt<T>(
    { repeatable = false }: RunOptions,
    work: (session: Session) => Promise<T>,
    caller: { readonly over: boolean },
  ): Promise<T> {
    for (;;) {
      const session = await this.#ready();
      // the caller was told that it failed: it must not be done after all
      if (caller.over) throw new MusterError("STORE_TIMEOUT", "nobody waits any more");
      try {
        return await untilLost(work(session), session.lost);
      } catch (error) {
        if (!repeatable || error !== session.lost.reason) throw error;
      }
    }
  }

  async close(): Promise<void> {
    const reason = new MusterError("STORE_CLOSED", "the NATS store was closed");
    this.closing.blow(reason);
    this.#lose(reason);
    // what is on its way arrives, or fails in its time-out, and is closed there
    await this.#connecting?.catch(() => undefined);
    await this.#wire?.close();
    this.#wire = undefined;
    this.#sockets.close();
  }

  /** Not being connected explains a time-out better than the time. */
  #explained(error: MusterError): MusterError {
    if (error.code !== "STORE_TIMEOUT" || this.#session || !this.#problem) return error;
    if (error === this.#problem) return error;
    const { code, message } = this.#problem;
    return new MusterError(code, `${error.message}; ${message}`, { cause: error });
  }

  async #ready(): Promise<Session> {
    this.closing.throwIfBlown();
    if (this.#wire?.isClosed()) this.#wire = undefined;
    if (this.#wire === undefined) {
      await this.#joinConnecting();
    }
    if (this.#session) return this.#session;
    // the library is at it
    await new Promise<void>((resolve) => {
      const off = this.onSession(() => {
        off();
        resolve();
      });
    });
    return this.#ready();
  }

  /** What somebody else began may fail for reasons that are gone: then there is an attempt of our own. */
  async #joinConnecting(): Promise<void> {
    const joined = this.#connecting !== undefined;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    try {
      await this.#connecting;
    } catch (error) {
      if (!joined) throw error;
      await this.#joinConnecting();
    }
  }

  async #connect(): Promise<void> {
    let connected: Connected;
    try {
      connected = await this.#sockets.run(() => connect(this.#settings));
    } catch (error) {
      this.#sockets.close();
      this.#problem = connectProblem(error, this.#settings);
      throw this.#problem;
    }
    const { wire } = connected;
    if (this.closing.reason) {
      await wire.close();
      throw this.closing.reason;
    }
    this.#wire = wire;
    void this.#follow(connected);
    this.#begin(connected);
  }

  async #follow(connected: Connected): Promise<void> {
    const { wire } = connected;
    const { servers } = this.#settings;
    for await (const status of wire.status())
      if (status.type === "disconnect")
        this.#lose(new MusterError("STORE_UNAVAILABLE", `the connection to ${servers} was lost`));
      else if (status.type === "reconnect") this.#begin(connected);
      else if (status.type === "error")
        this.#problem = toStoreError(status.error, `the connection to ${servers}`);
    // closed, by us or because the library gave up: the next request connects anew
    const reason = await wire.closed();
    this.#lose(toStoreError(reason ?? undefined, `the connection to ${servers}`));
  }

  #begin(connected: Connected): void {
    if (this.closing.reason) return;
    this.#problem = undefined;
    this.#session = { ...connected, lost: new Fuse() };
    for (const listener of [...this.#listeners]) listener();
  }

  #lose(problem: MusterError): void {
    this.#problem ??= problem;
    const session = this.#session;
    this.#session = undefined;
    session?.lost.blow(problem);
  }
}

async function connect(settings: NatsStoreSettings): Promise<Connected> {
  const client = await loadNatsClient();
  const wire = await client.transport.connect(await connectOptions(client, settings));
  const { jetstream, jetstreamManager } = client.jetstream;
  const timeout = settings.requestTimeout;
  // no question of its own first: each of our requests says what is wrong
  const streams = await jetstreamManager(wire, { timeout, checkAPI: false });
  return { client, wire, streams, publisher: jetstream(wire, { timeout }) };
}

function connectProblem(error: unknown, { servers, tls }: NatsStoreSettings): MusterError {
  const problem = toStoreError(error, `connecting to ${servers.join(", ")}`);
  if (problem.code !== "STORE_TIMEOUT" || !tls || tls.cert || tls.certPath) return problem;
  // the library does not notice that it was hung up on right after the handshake
  const hint = "a server that demands a client certificate (tls.certPath, tls.keyPath) does that";
  return new MusterError(problem.code, `${problem.message}; ${hint}`, { cause: error });
}
