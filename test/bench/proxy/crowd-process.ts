import { connect } from "node:net";

// A crowd in a process of its own: `crowd-process.ts PORT COUNT KEY KIND`, until it is killed. `busy` asks again as soon as it
// is answered, on the same connection or, where that was closed, on a new one; `pipelined` sends four large questions and
// six thousand small ones at once, and reads nothing.
const [port = "0", count = "0", key = "none", kind = "busy"] = process.argv.slice(2);

const PIPELINED = 6_000;
const ask = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`;
const flood = Buffer.from(ask("/openapi.json").repeat(4) + ask("/v1/dgi").repeat(PIPELINED));

function busy(): void {
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  socket.on("error", () => {});
  socket.on("connect", () => socket.write(ask("/v1/daos")));
  socket.on("data", () => socket.write(ask("/v1/daos")));
  socket.on("close", () => setTimeout(busy, 1));
}

function pipelined(): void {
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  socket.on("error", () => {});
  socket.on("connect", () => socket.pause().write(flood));
}

for (let index = 0; index < Number(count); index += 1) kind === "pipelined" ? pipelined() : busy();
