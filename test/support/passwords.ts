import { createPasswords, type ScryptParameters } from '../../lib/secrets/passwords.js';

/** The cost of passwords in tests: a hash takes 0.1 ms of processor time, and one of production 0.2 s. */
export const cheapParameters: ScryptParameters = { N: 16, r: 1, p: 1 };

export const cheapPasswords = () => createPasswords({ parameters: cheapParameters });
