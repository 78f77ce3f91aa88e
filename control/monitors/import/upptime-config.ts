import { parse } from 'yaml';
import { ServiceError } from '../../../lib/service-error.js';
import { upptimeKeys, upptimeNotes, upptimeSiteKeys } from './upptime-keys.js';

/** The settings of a site in `.upptimerc.yml` that its history lacks. */
export type ConfiguredSite = {
  name: string | undefined;
  url: string | undefined;
  slug: string | undefined;
  /** `http`, `tcp-ping`, `ws` or `ssl`; undefined for `http`. */
  check: string | undefined;
  port: string | undefined;
  method: string | undefined;
  /** Such as `200,404`; undefined when the site does not say, and Upptime accepts what is usual. */
  expectStatus: string | undefined;
  /** A text without which the site is down. */
  expectBody: string | undefined;
  /** Settings that are not here; see upptimeNotes(). */
  notes: string[];
};

/**
 * Parses the list `sites` of `.upptimerc.yml`. Fields that are neither text nor a number count as absent, and so do
 * entries that are no map; a file without such a list has no sites.
 *
 * @throws ServiceError `invalidBody` that names `file` when the text is not YAML
 */
export function parseUpptimeConfig(text: string, file: string): ConfiguredSite[] {
  const sites = fieldsOf(parseYaml(text, file))['sites'];
  return (Array.isArray(sites) ? sites : []).map((site: unknown) => {
    const fields = fieldsOf(site);
    const { name, url, slug, check, port, method, expectedStatusCodes: statuses } = fields;
    return {
      ...{ name: toText(name), url: toText(url), slug: toText(slug) },
      ...{ check: toText(check), port: toText(port), method: toText(method)?.toUpperCase() },
      expectStatus:
        Array.isArray(statuses) && statuses.length > 0 ? statuses.map(String).join(',') : undefined,
      expectBody: toText(fields['__dangerous__body_down_if_text_missing']),
      notes: upptimeNotes(fields, upptimeSiteKeys),
    };
  });
}

/** Notes about what the file says beside its sites. @throws as parseUpptimeConfig() */
export function parseUpptimeNotes(text: string, file: string): string[] {
  return upptimeNotes(fieldsOf(parseYaml(text, file)), upptimeKeys);
}

function parseYaml(text: string, file: string): unknown {
  try {
    // Upptime merges keys such as `<<: *tcp`. The library would print its warnings to the console.
    return parse(text, { merge: true, logLevel: 'error' });
  } catch (error) {
    const [fault = ''] = error instanceof Error ? error.message.split('\n', 1) : [];
    throw new ServiceError('invalidBody', { message: `${file} is not YAML: ${fault.replace(/:$/, '')}` });
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
