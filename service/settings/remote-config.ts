import { isKey } from '../../control/keys/index.js';
import { ConfigError, type Environment, parseUrl, settingOf } from './read-setting.js';

/** An installation elsewhere, which commands run over HTTP. */
export type RemoteConfig = {
  url: URL;
  /** With the scope manage or admin. */
  key: string;
};

/**
 * The installation that HEARTLINE_URL and HEARTLINE_KEY name; `undefined` without both.
 *
 * @throws ConfigError when one is missing or malformed, and for an address over which others could read the key. No
 *   message repeats a value.
 */
export function parseRemoteConfig(env: Environment): RemoteConfig | undefined {
  const text = parseUrl(env, 'HEARTLINE_URL', ['https:', 'http:']);
  const key = settingOf(env, 'HEARTLINE_KEY');
  if (text === undefined && key === undefined) return undefined;
  if (text === undefined) {
    throw new ConfigError(
      'HEARTLINE_KEY needs HEARTLINE_URL, the address of the installation it is a key of.',
    );
  }
  if (key === undefined) {
    throw new ConfigError(
      'HEARTLINE_KEY is missing: the installation at HEARTLINE_URL needs a key with the scope manage or admin.',
    );
  }
  if (!isKey(key) || !/^key_(?:manage|admin)_/.test(key)) {
    throw new ConfigError('HEARTLINE_KEY must be a whole key that begins with key_manage_ or key_admin_.');
  }
  return { url: checkUrl(new URL(text)), key };
}

function checkUrl(url: URL): URL {
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigError('HEARTLINE_URL must be an address alone, such as https://status.example.com.');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new ConfigError(
      'HEARTLINE_URL must start with https://, because over http:// others could read the key; http:// is for this machine only, such as http://localhost:8080.',
    );
  }
  return url;
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
