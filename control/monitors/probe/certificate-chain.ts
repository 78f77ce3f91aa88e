import { X509Certificate } from 'node:crypto';
import { rootCertificates, type TLSSocket } from 'node:tls';

/** The end of the path of trust of a server, in milliseconds since the epoch. */
export type ChainEnd = { endsAt: number; ofIntermediate: boolean };

const certificatesMax = 10;
let roots: X509Certificate[] | undefined;

/**
 * Returns which certificate that the server sent ends first, among those on the path to a root that Node.js trusts. A
 * certificate that the path does not need does not count, such as one of a root that is trusted by itself and signed by
 * an older one, too. A root itself does not count: it is the machine's, and not the server's.
 */
export function endOfChain(socket: TLSSocket): ChainEnd | undefined {
  const [leaf, ...others] = certificatesOf(socket);
  if (leaf === undefined) return undefined;
  let end: ChainEnd = { endsAt: endOf(leaf), ofIntermediate: false };
  let certificate = leaf;
  while (others.length > 0 && !isIssuedByRoot(certificate)) {
    const issuer = issuerOf(certificate, others);
    if (issuer === undefined) break;
    others.splice(others.indexOf(issuer), 1);
    certificate = issuer;
    if (endOf(issuer) < end.endsAt) end = { endsAt: endOf(issuer), ofIntermediate: true };
  }
  return end;
}

/** As the server sent them: Node.js takes each for the issuer of the one before. */
function certificatesOf(socket: TLSSocket): X509Certificate[] {
  const sent: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && sent.length < certificatesMax) {
    sent.push(next);
    next = next.issuerCertificate;
  }
  return sent;
}

/** A certificate that was renewed under the same key may be there twice; the newer one keeps the path alive. */
function issuerOf(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
): X509Certificate | undefined {
  const issuers = others.filter(
    (one) => one.subject !== one.issuer && certificate.checkIssued(one) && certificate.verify(one.publicKey),
  );
  return issuers.sort((a, b) => endOf(b) - endOf(a))[0];
}

function endOf(certificate: X509Certificate): number {
  return Date.parse(certificate.validTo);
}

/** OpenSSL looks for an issuer among the trusted certificates first. */
function isIssuedByRoot(certificate: X509Certificate): boolean {
  roots ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return roots.some((root) => certificate.checkIssued(root));
}
