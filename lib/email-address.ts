import { domainToASCII } from 'node:url';

const localPartForm = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * Returns an address in the form in which it is stored, compared and sent to: in lower case, a domain of another script
 * in its ASCII form. Returns `undefined` for texts that are not addresses, and for the rare forms that few servers take:
 * quoted or non-ASCII local parts, addresses at an IP address or at a host without a dot.
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
