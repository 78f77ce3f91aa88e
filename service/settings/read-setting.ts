/** A bad configuration. The message is one sentence for the person who starts the service. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the value of a variable; an empty one counts as unset. */
export function settingOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** @throws ConfigError for a text that is no URL of these protocols */
export function parseUrl(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const value = settingOf(env, name);
  if (value === undefined) return undefined;
  // The message does not repeat the value, which may hold a password.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new ConfigError(
      `${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    );
  }
  return value;
}

/** @throws ConfigError for anything but `on` and `off` */
export function parseSwitch(env: Environment, name: string, usual: 'on' | 'off' = 'off'): boolean {
  const value = settingOf(env, name) ?? usual;
  if (value !== 'on' && value !== 'off') throw new ConfigError(`${name} must be on or off, not "${value}".`);
  return value === 'on';
}
