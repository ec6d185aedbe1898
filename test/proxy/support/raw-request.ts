import { connect } from "node:net";

/** An answer as it came over the wire, the first one where there were several. */
export interface RawAnswer {
  readonly text: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends bytes as they are and reads until the server closes the connection. */
export function rawRequest(address: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname.replace(/[[\]]/g, ""), port: Number(port) });
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(parseRaw(Buffer.concat(chunks).toString("utf8"))));
    socket.write(text);
  });
}

/** Reads one answer out of what came. */
export function parseRaw(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [start = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { text, status: Number(start.split(" ")[1]), headers, body: text.slice(end + 4) };
}
