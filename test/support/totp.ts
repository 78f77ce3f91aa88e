import { TOTP } from 'otpauth';

/** Returns the code that an app with this secret, in base 32, shows at a time in milliseconds since the epoch. */
export function totpCode(secret: string, time: number): string {
  return new TOTP({ secret }).generate({ timestamp: time });
}
