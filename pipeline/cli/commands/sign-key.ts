import { type CommandContext, command } from "../options/command-context.ts";

export const signKeyCommand = command({
  name: "sign-key",
  description: "print the public key that verifies versions; create a key pair if there is none",
  example: 'GOVDATA_PUBLIC_KEY="$(govdata sign-key)" govdata verify',
  takes: (made) =>
    made
      .option("--rotate", "create a new key; give it to readers before the next publish")
      .option("--deployment <name>", "sign for this deployment only (readers of 0.6 refuse such versions)"),
  async run({ settings, terminal }: CommandContext, flags: { rotate?: boolean; deployment?: string }) {
    const { rotate, deployment } = flags;
    const { runSignKey } = await import("../../home/signing-key.ts");
    const key = runSignKey(settings, { isRotation: rotate === true, deployment });
    if (key.isNew) terminal.err("created a key; versions are signed with it from the next publish on\n");
    return key;
  },
  text: ({ publicKey }) => `${publicKey}\n`,
  json: ({ publicKey, isNew }) => ({ publicKey, isNew }),
});
