// Adds sorting by column and a filter by category to the ranking, which is complete without.
const table = document.querySelector("main table");
const body = table?.tBodies[0];
const rows = [...(body?.rows ?? [])];

/** What a cell is sorted by: the number that it begins with, or its text. */
function keyOf(cell, isNumber) {
  const text = cell.textContent.trim();
  return isNumber ? Number.parseFloat(text.replace("−", "-")) : text.toLowerCase();
}

function sortBy(heading, index) {
  const isNumber = heading.className === "number";
  const isAscending = heading.ariaSort ? heading.ariaSort === "descending" : !isNumber || index === 0;
  const sign = isAscending ? 1 : -1;
  const keys = new Map(rows.map((row) => [row, keyOf(row.cells[index], isNumber)]));
  const compare = (a, b) => (keys.get(a) < keys.get(b) ? -sign : keys.get(a) > keys.get(b) ? sign : 0);
  for (const each of table.tHead.rows[0].cells) each.ariaSort = null;
  heading.ariaSort = isAscending ? "ascending" : "descending";
  body.append(...rows.toSorted(compare));
}

function makeSortable(heading, index) {
  // A column of pictures has nothing to sort by.
  if (heading.className === "text") return;
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.addEventListener("click", () => sortBy(heading, index));
  heading.append(button);
}

function makeFilter() {
  const categoryOf = (row) => row.querySelector("[data-category]").dataset.category;
  const categories = [...new Set(rows.map(categoryOf))].sort();
  if (categories.length < 2) return;
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.append(...["all", ...categories].map((name) => new Option(name.replaceAll("_", " "), name)));
  select.addEventListener("change", () => {
    for (const row of rows) row.hidden = select.value !== "all" && categoryOf(row) !== select.value;
  });
  label.className = "filter";
  label.append("Category ", select);
  table.parentElement.before(label);
}

if (body) {
  [...table.tHead.rows[0].cells].forEach(makeSortable);
  makeFilter();
}
