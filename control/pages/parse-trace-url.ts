import { traceUrlChars } from '../../contract/manage/trace-url.js';
import { ServiceError } from '../../lib/service-error.js';

const placeholder = /\{([^{}]*)\}/g;
const known: readonly string[] = ['traceId', 'spanId'];

/**
 * Returns the address of a trace in the tracing tool, with `{traceId}` and perhaps `{spanId}` in it, as it is stored.
 *
 * @throws ServiceError `invalidBody` for what is no http or https URL, has a user name, is too long, lacks `{traceId}`, has
 *   another placeholder, or has one in the host: an id must not choose where a link leads.
 */
export function parseTraceUrl(text: string): string {
  const template = text.trim();
  if (template.length > traceUrlChars) throw invalid(`is longer than ${traceUrlChars} characters`);
  const names = [...template.matchAll(placeholder)].map(([, name = '']) => name);
  const other = names.find((name) => !known.includes(name));
  if (other !== undefined)
    throw invalid(`has {${other.slice(0, 40)}} in it; only {traceId} and {spanId} are replaced`);
  if (!names.includes('traceId')) throw invalid('needs {traceId} in it, where the id of the trace goes');
  const start = /^https?:\/\/([^/?#\\]+)/i.exec(template)?.[1];
  if (start === undefined || !URL.canParse(template.replaceAll(placeholder, '0')))
    throw invalid('must be an address such as https://tempo.example/trace/{traceId}');
  if (start.includes('{')) throw invalid('must have {traceId} behind the host');
  if (start.includes('@')) throw invalid('must not hold a user name or password');
  return template;
}

function invalid(why: string): ServiceError {
  return new ServiceError('invalidBody', {
    message: `The address of traces ${why}.`,
    field: '/traceUrl',
  });
}
