import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startProxy, type TestProxy, until } from "../src/index.ts";

describe("startProxy", () => {
  let echo: Server;
  let heard = "";
  let proxy: TestProxy;
  let client: Socket;

  beforeAll(async () => {
    echo = createServer((socket) => {
      socket.on("data", (chunk) => {
        heard += chunk;
      });
      socket.pipe(socket);
    });
    await once(echo.listen(0, "127.0.0.1"), "listening");
  });
  afterAll(() => void echo.close());
  beforeEach(async () => {
    proxy = await startProxy((echo.address() as AddressInfo).port);
    client = connect(proxy.port, "127.0.0.1");
    await once(client, "connect");
  });
  afterEach(async () => {
    client.destroy();
    await proxy.close();
  });

  it("passes on, in pieces if asked to", async () => {
    proxy.fragment(1);
    client.write("abc");
    let text = "";
    client.on("data", (chunk) => {
      text += chunk;
    });
    await until(() => text === "abc", "the echo");
    expect(proxy.received).toBe(3);
  });

  it("cuts connections, and new ones until it is healed", async () => {
    await until(() => proxy.connections === 1, "the connection");
    proxy.cut();
    await once(client, "close");
    const refused = connect(proxy.port, "127.0.0.1");
    await once(refused, "close");
    proxy.heal();
    const works = connect(proxy.port, "127.0.0.1");
    works.write("a");
    expect(String((await once(works, "data"))[0])).toBe("a");
    works.destroy();
  });

  it("holds everything back while it is stalled", async () => {
    client.write("a");
    await once(client, "data");
    proxy.stall();
    const answer = once(client, "data");
    client.write("b");
    await new Promise((resolve) => setImmediate(resolve));
    expect(proxy.received).toBe(1);
    proxy.heal();
    expect(String((await answer)[0])).toBe("b");
  });

  it("swallows answers while it is mute", async () => {
    proxy.mute();
    client.write("lost");
    await until(() => heard.endsWith("lost"), "the request");
    proxy.heal();
    client.write("told");
    expect(String((await once(client, "data"))[0])).toBe("told");
  });
});
