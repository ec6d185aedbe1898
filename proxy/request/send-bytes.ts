import type { FastifyReply, FastifyRequest } from "fastify";

/** Sends a body, or for HEAD its length alone: the same headers as GET would get. */
export function sendBytes(request: FastifyRequest, reply: FastifyReply, bytes: Buffer): FastifyReply {
  if (request.method !== "HEAD") return reply.send(bytes);
  return reply.header("content-length", String(bytes.length)).send();
}
