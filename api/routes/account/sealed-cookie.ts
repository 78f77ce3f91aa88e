import type { Context } from 'koa';
import type { Clock } from '../../../lib/clock.js';
import { openSecret, sealSecret } from '../../../lib/secrets/secret-box.js';
import type { OriginParser } from '../../request-origin.js';

type Deps = { secretKey: string; clock: Clock; parseOrigin: OriginParser; baseUrl(): string };

/** Whether a request came by HTTPS: the address of the service says so, or a trusted proxy does. */
export function isSecure({ parseOrigin, baseUrl }: Pick<Deps, 'parseOrigin' | 'baseUrl'>, ctx: Context) {
  return baseUrl().startsWith('https:') || parseOrigin(ctx).isSecure === true;
}

export type SealedCookie<T extends object> = {
  /** Returns the value that the browser keeps; `undefined` when it keeps none that is valid. */
  read(ctx: Context): T | undefined;
  set(ctx: Context, value: T): void;
  clear(ctx: Context): void;
};

/**
 * A cookie for some minutes whose value only this installation can read and make. SameSite=Lax, because the browser comes
 * back from the identity provider with it.
 */
export function sealedCookie<T extends object>(
  deps: Deps,
  { name, lastsMs }: { name: string; lastsMs: number },
): SealedCookie<T> {
  const { secretKey, clock } = deps;
  const context = `cookie ${name}`;
  const write = (ctx: Context, value: string, maxAgeMs: number): void => {
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeMs / 1000}`;
    const cookie = isSecure(deps, ctx) ? `__Host-${name}=${value}; Secure` : `${name}=${value}`;
    ctx.append('set-cookie', `${cookie}; ${attributes}`);
  };
  return {
    read(ctx) {
      const sent = isSecure(deps, ctx) ? `__Host-${name}` : name;
      const sealed = new RegExp(`(?:^|;\\s*)${sent}=([\\w-]+)(?:;|$)`).exec(ctx.get('cookie'))?.[1];
      if (sealed === undefined) return undefined;
      try {
        const text = openSecret(secretKey, context, Buffer.from(sealed, 'base64url'));
        const { until, value }: { until: number; value: T } = JSON.parse(text);
        return until > clock.now() && until <= clock.now() + lastsMs ? value : undefined;
      } catch {
        return undefined;
      }
    },
    set(ctx, value) {
      const text = JSON.stringify({ until: clock.now() + lastsMs, value });
      write(ctx, sealSecret(secretKey, context, text).toString('base64url'), lastsMs);
    },
    clear: (ctx) => write(ctx, '', 0),
  };
}
