import { useMemo } from 'preact/hooks';
import { useSession } from '../../session.js';
import { type Texts, useTexts } from '../../texts.js';
import { type SubscribersTexts, subscribersTexts } from './texts.js';

const en = {
  listWhy: 'No mail can be sent, so these addresses get nothing.',
  notAsked: 'Not asked',
  notAskedWhy: 'No mail can be sent, so nobody was asked to confirm.',
  confirmedWhy: 'Gets email as soon as mail can be sent.',
  consentOn: 'The address gets email as soon as mail can be sent.',
  consentOff: 'No mail can be sent, so nobody asks the person to confirm.',
  addedConfirmed: (email: string) => `${email} gets email as soon as mail can be sent.`,
  addedWaiting: (email: string) => `${email} was added; no mail can ask the person to confirm.`,
};

const de: typeof en = {
  listWhy: 'Es können keine Mails gesendet werden; diese Adressen bekommen nichts.',
  notAsked: 'Nicht gefragt',
  notAskedWhy: 'Es können keine Mails gesendet werden; niemand wurde um Bestätigung gebeten.',
  confirmedWhy: 'Bekommt E-Mails, sobald welche gesendet werden können.',
  consentOn: 'Die Adresse bekommt E-Mails, sobald welche gesendet werden können.',
  consentOff: 'Es können keine Mails gesendet werden; die Person wird nicht um Bestätigung gebeten.',
  addedConfirmed: (email) => `${email} bekommt E-Mails, sobald welche gesendet werden können.`,
  addedWaiting: (email) => `${email} ist hinzugefügt; keine Mail kann um Bestätigung bitten.`,
};

const withoutMail: Texts<typeof en> = { en, de };

/** The texts of the screen, which promise no email where none can be sent. */
export function useSubscribersTexts(): SubscribersTexts {
  const texts = useTexts(subscribersTexts);
  const { notAsked, notAskedWhy, confirmedWhy, ...others } = useTexts(withoutMail);
  const { sendsMail } = useSession();
  return useMemo(
    () =>
      sendsMail
        ? texts
        : {
            ...{ ...texts, ...others },
            filters: { ...texts.filters, unconfirmed: notAsked },
            state: { ...texts.state, unconfirmed: notAsked },
            stateWhy: { ...texts.stateWhy, unconfirmed: notAskedWhy, confirmed: confirmedWhy },
          },
    [texts, sendsMail],
  );
}
