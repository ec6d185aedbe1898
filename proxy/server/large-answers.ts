import type { Socket } from "node:net";

/**
 * Lets so many large answers of callers without a key leave at once; others wait for their turn. The system keeps what a
 * caller does not read, up to megabytes for each connection, and this process cannot see how much. So a large answer is
 * the last of its connection, and counts until its caller has ended that, or it was reset.
 */
export function createLargeAnswers(atOnceMax: number): (socket: Socket, write: () => void) => void {
  const waiting: { readonly socket: Socket; readonly write: () => void }[] = [];
  let atOnce = 0;
  const begin = (): void => {
    while (atOnce < atOnceMax) {
      const next = waiting.shift();
      if (next === undefined) return;
      const { socket, write } = next;
      if (socket.destroyed) continue;
      atOnce += 1;
      // Node would close it after its last answer, and the system would keep the unread bytes for minutes.
      socket.destroySoon = () => void socket.end();
      socket.once("close", () => {
        atOnce -= 1;
        begin();
      });
      write();
    }
  };
  return (socket, write) => {
    waiting.push({ socket, write });
    begin();
  };
}
