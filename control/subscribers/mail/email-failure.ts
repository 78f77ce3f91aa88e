export type EmailFailure = {
  /** Whether the server says that no email will ever reach this address. */
  bounced: boolean;
  /** For the operator; it may hold the address. */
  reason: string;
};

const reasonCharsMax = 500;

/** What an error of Smtp.send() means for the address that the message was for. */
export function judgeFailure(error: unknown): EmailFailure {
  const { code, command, responseCode, response, message } = error as {
    code?: string;
    command?: string;
    responseCode?: number;
    response?: string;
    message?: string;
  };
  const reason = (response ?? message ?? String(error)).slice(0, reasonCharsMax);
  const refused = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode !== undefined;
  return { bounced: refused && saysNoSuchRecipient(responseCode, response ?? ''), reason };
}

/**
 * An enhanced status (RFC 3463) says more than the code: 5.1.x and 5.2.1 are about the recipient's address, but
 * 5.1.7 and 5.1.8 about the sender's, and 5.7.x says that the server does not take mail from us. To hold that
 * against each address would lose them all for a mistake in our settings.
 */
function saysNoSuchRecipient(responseCode: number, response: string): boolean {
  if (responseCode < 500) return false;
  const [, subject, detail] = /^\d{3}[ -]5\.(\d{1,3})\.(\d{1,3})\b/.exec(response) ?? [];
  if (subject === undefined) return [550, 551, 553].includes(responseCode);
  return (subject === '1' && detail !== '7' && detail !== '8') || (subject === '2' && detail === '1');
}
