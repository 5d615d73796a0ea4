import { Buffer } from "node:buffer";
import { Agent } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";

/** As much as a socket gives at once: most pages whole. */
const readBytes = 128 * 1024;

/**
 * An agent whose connections all read into one buffer. Without it each read takes memory outside the
 * heap, and giving that back costs more than the read itself. What the HTTP parser makes of a read is a
 * copy, so the next read may overwrite it; a runtime that does not know `onread` reads as it always does.
 */
export class BufferedAgent extends Agent {
  readonly #buffer = Buffer.allocUnsafeSlow(readBytes);

  override createConnection(options: NetConnectOpts): Socket {
    const onread = {
      buffer: this.#buffer,
      callback: (size: number): boolean => deliver(socket, this.#buffer.subarray(0, size)),
    };
    const socket = connect({ ...options, onread });
    return socket;
  }
}

/** Hands a read to whoever listens, at once; what has to wait is copied. */
function deliver(socket: Socket, bytes: Buffer): boolean {
  const flowing = socket.readableFlowing === true && socket.readableLength === 0;
  if (flowing && socket.emit("data", bytes)) return true;
  return socket.push(Buffer.from(bytes));
}
