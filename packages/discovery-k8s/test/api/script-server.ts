import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that answers as a test says, byte for byte. */
export class ScriptServer implements AsyncDisposable {
  readonly requests: IncomingMessage[] = [];
  readonly #close: () => Promise<void>;
  readonly url: string;

  private constructor(url: string, requests: IncomingMessage[], close: () => Promise<void>) {
    this.url = url;
    this.requests = requests;
    this.#close = close;
  }

  static async open(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<ScriptServer> {
    const requests: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      requests.push(request);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const close = (): Promise<void> => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    };
    return new ScriptServer(`http://127.0.0.1:${port}`, requests, close);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
