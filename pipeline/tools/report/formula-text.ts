/** What a command of TeX is in plain text; those that only shape brackets are nothing. */
const SIGNS: Readonly<Record<string, string>> = {
  cdot: "·",
  kappa: "κ",
  left: "",
  ln: "ln",
  max: "max",
  min: "min",
  mu: "μ",
  omega: "ω",
  qquad: "\n",
  quad: " ",
  right: "",
  sum: "Σ",
  varphi: "φ",
};

/** A formula of the method, written in TeX for GitHub, as lines of plain text: pages have no script that could set it. */
export function formulaText(tex: string): string {
  let text = tex
    .replaceAll("\n", " ")
    .replaceAll(/\\[,;]/g, "")
    .replaceAll(/\\([ _])/g, "$1");
  // What stands innermost loses its braces first.
  for (let before = ""; before !== text; ) {
    before = text;
    text = text
      .replaceAll(/\\mathrm\{([^{}]*)\}/g, "$1")
      .replaceAll(/\\text\{([^{}]*)\}/g, " $1")
      .replaceAll("\\tfrac{1}{2}", "½")
      .replaceAll(/([_^])\{([^{}]*)\}/g, "$1$2")
      .replaceAll(/\\sqrt\{([^{}]*)\}/g, "√($1)")
      .replaceAll(/\\frac\{([^{}]*)\}\{([^{}]*)\}/g, (_, over, under) => `${part(over)} / ${part(under)}`);
  }
  const signs = text.replaceAll(/\\([a-z]+)/g, (command, name) => SIGNS[name] ?? command);
  return signs
    .split("\n")
    .map((line) => line.trim().replaceAll(/ +/g, " "))
    .join("\n");
}

/** One side of a fraction, in brackets where it is more than a number or a name. */
function part(text: string): string {
  const bare = text.trim();
  return /^[\w.]+$/.test(bare) ? bare : `(${bare})`;
}
