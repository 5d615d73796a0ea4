import { fileURLToPath } from "node:url";

const file = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));

interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Paths of the certificates for test stores; fixtures/tls/README.md says what each is. */
export const testTls: {
  readonly ca: string;
  readonly otherCa: string;
  readonly server: CertificateFiles;
  readonly misnamed: CertificateFiles;
  readonly client: CertificateFiles;
} = {
  ca: file("ca"),
  otherCa: file("other-ca"),
  server: { cert: file("server"), key: file("server-key") },
  misnamed: { cert: file("misnamed"), key: file("misnamed-key") },
  client: { cert: file("client"), key: file("client-key") },
};
