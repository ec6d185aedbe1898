/**
 * A text as a URL, or undefined where it is none. `URL.canParse` is not asked: once it is compiled, Node 20 answers
 * differently for a host beyond ASCII, and the same text must be judged the same way the ten thousandth time.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
