import { type ContactWayKind, contactWayNames } from '../../contract/manage/contact-ways.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createEgress, type Egress } from '../../lib/outbound/egress.js';
import { ServiceError } from '../../lib/service-error.js';
import { startDeadline } from '../../lib/timeout.js';
import {
  type ChannelMessage,
  carryMessage,
  judgeAnswer,
  type MessageOutcome,
  type ProviderOrigins,
  providerOrigins,
} from '../channels/index.js';
import { post } from '../delivery/index.js';
import { judgeFailure, openSmtp, type Smtp, withoutSmtpSecrets } from '../subscribers/index.js';
import { composeWayEmail, type WayLetter } from './compose-email.js';
import { composeGatewayRequest, type Gateway, type Gateways, secretsOfGateway } from './gateway.js';
import { isPhoneKind, isProviderKind } from './parse-way.js';
import { smsText, spokenText } from './phone-texts.js';

/** Sends messages to the ways of people. */
export type WaySender = {
  /**
   * Returns why nothing can be sent to ways of a kind, in a sentence that says what to set; `undefined` when it can.
   */
  lacks(kind: ContactWayKind): string | undefined;
  /** Sends a message once. Rejects only when `signal` is aborted; the outcome is then unknown. */
  send(letter: WayLetter, how: { timeoutMs: number; signal: AbortSignal }): Promise<MessageOutcome>;
  close(): void;
};

export type WaySenderDeps = {
  clock: Clock;
  /** See openSmtp(); absent when no email can be sent. */
  smtpUrl?: string | undefined;
  /** The gateways for text messages and calls. */
  gateways?: Gateways | undefined;
  /** Whether ways may lead to loopback and private networks. */
  allowPrivateAddresses: PrivateAddresses;
  /** The servers of the providers when absent. */
  origins?: ProviderOrigins;
};

/** Creates what sends to every kind of way. It opens connections when they are needed. */
export function createWaySender(deps: WaySenderDeps): WaySender {
  const { clock, smtpUrl, gateways = {}, origins = providerOrigins } = deps;
  const egress = createEgress({ allowPrivateAddresses: deps.allowPrivateAddresses });
  // The operator's own, which may be in the operator's network.
  const gatewayEgress = createEgress({ allowPrivateAddresses: true });
  let smtp: Smtp | undefined;
  const gatewayOf = (kind: ContactWayKind) => (isPhoneKind(kind) ? gateways[kind] : undefined);

  function lacks(kind: ContactWayKind): string | undefined {
    if (isProviderKind(kind)) return undefined;
    if (kind === 'email') return smtpUrl === undefined ? lackOf(kind, 'HEARTLINE_SMTP_URL') : undefined;
    return gatewayOf(kind) === undefined
      ? lackOf(kind, `HEARTLINE_${kind.toUpperCase()}_URL and HEARTLINE_${kind.toUpperCase()}_FORM`)
      : undefined;
  }

  return {
    lacks,
    async send(letter, { timeoutMs, signal }) {
      const { kind, settings } = letter;
      const lack = lacks(kind);
      if (lack !== undefined) return { status: null, error: `setting: ${lack}`, mayRepeat: false };
      const { to = '' } = settings;
      const gateway = gatewayOf(kind);
      if (gateway !== undefined) {
        return sendByGateway({ egress: gatewayEgress, clock, gateway, timeoutMs }, letter, to, signal);
      }
      if (isProviderKind(kind)) {
        const { to: _to, ...ofProvider } = settings;
        const carried = { ...letter, kind, settings: ofProvider };
        return carryMessage({ egress, clock, origins, timeoutMs }, carried, signal);
      }
      const url = smtpUrl ?? '';
      const open = () => {
        smtp ??= openSmtp(url);
        return smtp;
      };
      return sendByEmail({ clock, open, smtpUrl: url, timeoutMs }, letter, to, signal);
    },
    close() {
      smtp?.close();
    },
  };
}

const lackOf = (kind: ContactWayKind, names: string): string =>
  `This installation sends nothing by ${contactWayNames[kind].toLowerCase()}: its operator sets ${names}.`;

/** @throws ServiceError `conflict` when the installation cannot send to ways of a kind */
export function requireKind(sender: Pick<WaySender, 'lacks'>, kind: ContactWayKind): void {
  const lack = sender.lacks(kind);
  if (lack !== undefined) throw new ServiceError('conflict', { message: lack });
}

const severityOf = { critical: 'page', warning: 'ticket', info: 'info' } as const satisfies Record<
  ChannelMessage['severity'],
  AlertSeverity
>;

async function sendByGateway(
  deps: { egress: Egress; clock: Clock; gateway: Gateway; timeoutMs: number },
  { kind, message }: WayLetter,
  to: string,
  signal: AbortSignal,
): Promise<MessageOutcome> {
  const { egress, clock, gateway, timeoutMs } = deps;
  const { page, title, text, phase, severity, links } = message;
  const link = phase === 'note' ? undefined : links[0].url;
  const composed =
    kind === 'voice' ? spokenText({ page, title, text }) : smsText({ page, title, text, link });
  const request = composeGatewayRequest(gateway, { to, text: composed, severity: severityOf[severity] });
  const answer = await post(egress, { ...request, timeoutMs, signal });
  return answer.status === null
    ? { status: null, error: answer.error, mayRepeat: answer.kind !== 'url' }
    : judgeAnswer(
        // A form has the plus of a number in another way.
        { kind: undefined, secrets: [...secretsOfGateway(gateway), to, to.slice(1)] },
        answer,
        clock.now(),
      );
}

async function sendByEmail(
  deps: { clock: Clock; open(): Smtp; smtpUrl: string; timeoutMs: number },
  letter: WayLetter,
  to: string,
  signal: AbortSignal,
): Promise<MessageOutcome> {
  const { clock, open, smtpUrl, timeoutMs } = deps;
  const deadline = startDeadline(timeoutMs, signal, () => new Error('The mail server took too long.'));
  try {
    const smtp = open();
    await smtp.send(composeWayEmail(letter, { from: smtp.from, to, now: clock.now() }), deadline.signal);
    return { status: null, error: null, mayRepeat: false };
  } catch (failed) {
    if (signal.aborted) throw failed;
    const { bounced, reason } = judgeFailure(failed);
    const said = withoutSmtpSecrets(reason, smtpUrl).replaceAll(to, '…');
    return { status: null, error: `smtp: ${said}`, mayRepeat: !bounced };
  } finally {
    deadline.end();
  }
}
