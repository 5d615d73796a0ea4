import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { Credentials, type CredentialsOptions } from "./credentials.ts";

const made = (options: Partial<CredentialsOptions>) =>
  new Credentials({ hosts: ["10.0.0.0/8"], ...options }, createFakeClock());

function secretFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "muster-secret-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "secret"), content);
  return join(folder, "secret");
}

describe("credentials", () => {
  it("go to the hosts they are for, at once, and to no others", () => {
    const credentials = made({ bearerToken: "t", headers: { "x-api-key": "k" } });
    expect(credentials.headersFor("10.1.1.1")).toEqual({
      authorization: "Bearer t",
      "x-api-key": "k",
    });
    for (const host of ["11.1.1.1", "gpu.test", "10.1.1.1.test"])
      expect(credentials.headersFor(host)).toEqual({});
  });

  it("are the same object while they are the same", async () => {
    const credentials = made({ bearerTokenFile: secretFile("t") });
    const first = await credentials.headersFor("10.1.1.1");
    expect(credentials.headersFor("10.1.1.1")).toBe(first);
  });

  it("come from a file, without the blanks around them", async () => {
    const credentials = made({ bearerTokenFile: secretFile("\n tok-1 \r\n") });
    expect(await credentials.headersFor("10.1.1.1")).toEqual({ authorization: "Bearer tok-1" });
  });

  it("can be a user's name and password, in UTF-8", async () => {
    const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` });
    const direct = made({ username: "u", password: " p:ä " });
    expect(direct.headersFor("10.1.1.1")).toEqual(basic("u: p:\u00c3\u00a4 "));
    const file = made({ username: "u", passwordFile: secretFile("p\n") });
    expect(await file.headersFor("10.1.1.1")).toEqual(basic("u:p"));
  });

  it.each(["", " \n", "a\nb", "tökén", "a b"])("refuse the token %j", async (content) => {
    const credentials = made({ bearerTokenFile: secretFile(content) });
    await expect(credentials.headersFor("10.1.1.1")).rejects.toMatchObject({
      code: "SCRAPE_CREDENTIALS",
      message: expect.not.stringContaining("tök"),
    });
  });
});
