import { domainToASCII } from 'node:url';

const localPartForm = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * An address as it is stored, compared and sent to: lower case, a domain of other scripts in its ASCII form.
 * Undefined for what is none, and for the rare forms that few servers take: quoted or non-ASCII local parts,
 * addresses at a bare IP address or a host without a dot.
 */
export function parseEmailAddress(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase();
  const at = trimmed.lastIndexOf('@');
  const localPart = trimmed.slice(0, Math.max(at, 0));
  const domain = domainToASCII(trimmed.slice(at + 1));
  const address = `${localPart}@${domain}`;
  const valid =
    localPart.length <= 64 &&
    address.length <= 254 &&
    localPartForm.test(localPart) &&
    domain.length <= 253 &&
    domainForm.test(domain);
  return valid ? address : undefined;
}
