import { hash } from 'node:crypto';
import { makeRouteTable } from '../../support/route-table.js';
import { type Call, type Example, needs, sendJson } from './example.js';

const readsFigures =
  /analytics\/(?!sql\/schema)|\/series$|\/checks$|\/overview\/monitors$|^\/api\/v1\/installation$/;

/**
 * A request for each route of the management API: lists as they are, and for everything else something that does not
 * exist or is not complete. All routes find the caller, count the request and look for the page in the same way; what
 * they do behind that is tested in test/contract/manage/.
 */
export const managementExamples: Record<string, readonly Example[]> = Object.fromEntries(
  makeRouteTable().routes.flatMap((route) => {
    if (!('permission' in route)) return [];
    const { method, path, permission } = route;
    const name = `${method} ${path}`;
    const isList =
      method === 'GET' && !/:page\/.*:/.test(path) && !/(?:event-store|figure-export|alert-rule)$/.test(path);
    const send = (call: Call) => {
      const { keys } = call.site;
      // The one logo and the one rule of the page stay for other requests.
      const page = /DELETE .*:page\/[a-z-]+$/.test(name) ? call.mark : call.site.slug;
      const target = path.replaceAll(/:(\w+)/g, (_, one: string) => (one === 'page' ? page : call.mark));
      // Callers have a number of requests a minute.
      const key = keys.manage[hash('sha256', name, 'buffer').readUInt8(0) % keys.manage.length] ?? '';
      return sendJson(key, target, 'body' in route ? { unknown: call.mark } : undefined);
    };
    const example = { needs: needsOf(path, isList), send };
    return [[name, [{ ...example, usual: usualOf(permission, isList, 'body' in route) }]]];
  }),
);

function needsOf(path: string, isList: boolean): Example['needs'] {
  // It draws what the public page keeps.
  if (path.endsWith('/badge')) return needs.ownFigures;
  return readsFigures.test(path) && isList ? needs.both : needs.postgres;
}

function usualOf(permission: string, isList: boolean, hasBody: boolean): number {
  const ofPeople = ['people.write', 'audit.read', 'page.delete', 'installation.write', 'user'];
  if (ofPeople.includes(permission)) return 403;
  if (isList) return 200;
  return hasBody ? 400 : 404;
}
