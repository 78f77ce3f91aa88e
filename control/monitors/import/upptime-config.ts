/** What `.upptimerc.yml` says about a site and the history does not. */
export type ConfiguredSite = {
  name: string | undefined;
  url: string | undefined;
  slug: string | undefined;
  /** `http`, `tcp-ping`, `ws` or `ssl`; undefined for `http`. */
  check: string | undefined;
  port: string | undefined;
};

/**
 * Parses the list `sites` of `.upptimerc.yml`: its entries, and their fields with a value on the same line, which all of
 * these have in Upptime's documentation. Fields of other forms count as absent, and so do all sites of a list in another
 * form, such as `sites: [{…}]`. Then a site lacks its port, which the import reports.
 */
export function parseUpptimeConfig(text: string): ConfiguredSite[] {
  const sites: Map<string, string>[] = [];
  let listColumn: number | undefined;
  let fieldColumn = 0;
  for (const line of linesOfSites(text)) {
    const [, spaces = '', dash = '', rest = ''] = /^( *)(-(?: +|$))?(.*)$/.exec(line) ?? [];
    const column = spaces.length;
    if (listColumn === undefined && dash === '') return [];
    listColumn ??= column;
    if (column < listColumn) break;
    if (column === listColumn) {
      if (dash === '') break;
      sites.push(new Map());
      fieldColumn = column + dash.length;
      addField(sites.at(-1), rest);
    } else if (column === fieldColumn && dash === '') addField(sites.at(-1), rest);
    // A dash alone: the column of the fields is that of the first one.
    else if (sites.at(-1)?.size === 0 && dash === '') {
      fieldColumn = column;
      addField(sites.at(-1), rest);
    }
  }
  const fields = ['name', 'url', 'slug', 'check', 'port'] as const;
  return sites.map((site) => ({
    ...{ name: undefined, url: undefined, slug: undefined, check: undefined, port: undefined },
    ...Object.fromEntries(fields.map((field) => [field, site.get(field)])),
  }));
}

/** The lines below `sites:` that are neither empty nor comments. */
function linesOfSites(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => /^(?:sites|"sites"|'sites')[ \t]*:[ \t]*(?:#.*)?$/.test(line));
  return start === -1 ? [] : lines.slice(start + 1).filter((line) => !/^[ \t]*(?:#|$)/.test(line));
}

function addField(site: Map<string, string> | undefined, text: string): void {
  const [, name, value = ''] = /^(?:"|')?(\w+)(?:"|')?[ \t]*:[ \t]+(.*)$/.exec(text) ?? [];
  const scalar = parseScalar(value.replace(/[ \t]+$/, ''));
  if (site !== undefined && name !== undefined && scalar !== undefined) site.set(name, scalar);
}

/** The text of a plain or quoted value on one line; undefined for every other form. YAML trims spaces and tabs alone. */
function parseScalar(text: string): string | undefined {
  const [, single] = /^'((?:[^']|'')*)'(?:[ \t]+#.*)?$/.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const [, double] = /^("(?:[^"\\]|\\.)*")(?:[ \t]+#.*)?$/.exec(text) ?? [];
  if (double !== undefined) return parseQuoted(double);
  const plain = text.replace(/[ \t]+#.*$/, '');
  return plain === '' || /^['"&*!|>%@`[{#,]/.test(plain) ? undefined : plain;
}

/** The escapes of JSON, which are those that people write. */
function parseQuoted(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}
