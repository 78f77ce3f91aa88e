/** One series of a scrape. */
export type Sample = { metric: string; labels: Record<string, string>; value: string };

/** Labels that Prometheus gives every series of a target. */
export type Target = { job: string; instance: string };

/** Returns the series of an answer of /metrics. */
export function parseExposition(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, series = '', value = ''] = /^(.*) (\S+)$/.exec(line) ?? [];
      return { ...parseSeries(series), value };
    });
}

export function parseSeries(series: string): Omit<Sample, 'value'> {
  const [, metric = '', text = ''] = /^([\w:]+)(?:\{(.*)\})?$/.exec(series) ?? [];
  const labels = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  return { metric, labels: Object.fromEntries(labels) };
}

/**
 * Returns a series as Prometheus stores it: a label of the service that has the name of one of the target's is renamed,
 * because `honor_labels` is off unless configured.
 *
 * Source: `scrape_config` in the Prometheus documentation.
 */
export function asScraped<S extends Pick<Sample, 'labels'>>(sample: S, target: Target): S {
  const own = Object.entries(sample.labels).map(([name, value]) => [
    name in target ? `exported_${name}` : name,
    value,
  ]);
  return { ...sample, labels: { ...Object.fromEntries(own), ...target } };
}

/** Writes a series as `metric{label="value"}`, with its labels in alphabetical order. */
export function formatSeries({ metric, labels }: Pick<Sample, 'metric' | 'labels'>): string {
  const pairs = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${value}"`);
  return `${metric}{${pairs.join(',')}}`;
}

type Matcher = { label: string; operator: string; value: string };
export type Selector = { metric: string; matchers: Matcher[] };

/** Returns the selectors of a PromQL expression over metrics of a target of Heartline. */
export function selectorsOf(expr: string): Selector[] {
  const form = /\b(up|(?:heartline|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;
  return [...expr.matchAll(form)].map(([, metric = '', text = '']) => ({
    metric,
    matchers: [...text.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }));
}

/** Whether a selector selects a series. A missing label is an empty one, and expressions are anchored, as in Prometheus. */
export function selects({ metric, matchers }: Selector, sample: Pick<Sample, 'metric' | 'labels'>): boolean {
  if (metric !== sample.metric) return false;
  return matchers.every(({ label, operator, value }) => {
    const has = sample.labels[label] ?? '';
    const fits = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(has) : has === value;
    return fits !== operator.startsWith('!');
  });
}
