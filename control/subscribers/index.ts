export { type AddedSubscriber, addSubscriber } from './add-subscriber.js';
export { sendConfirmation } from './ask-for-confirmation.js';
export { type ChatSubscriber, listChatSubscribers, removeChatSubscriber } from './chats/chats.js';
export { type ChatSignUp, requestChatSubscription } from './chats/request-chat.js';
export {
  type ConfirmationLink,
  confirmSubscriber,
  forgetUnconfirmedSubscribers,
  loadConfirmationLink,
  unsubscribeSubscriber,
} from './confirm-subscription.js';
export { countIncidentEmails, countRecipients, listLateEmails, loadMailStanding } from './count-emails.js';
export { loadSubscriber, type Subscriber, subscriberState } from './find-subscriber.js';
export { type ImportedRow, importSubscribers, type SubscriberImport } from './import-subscribers.js';
export { listSubscriberEmails, type SubscriberEmail } from './list-emails.js';
export {
  type AddressListInput,
  type ListedAddress,
  listAddresses,
  listSubscribers,
} from './list-subscribers.js';
export { brandOf, type ComposeDeps, type EmailReader, toMessage, unsubscribeLink } from './mail/compose.js';
export { type EmailLoopDeps, startEmailLoop } from './mail/loop.js';
export { createMailCourier, type MailDeps } from './mail/mail-courier.js';
export { previewAnnouncement } from './mail/preview.js';
export { suppress } from './mail/send-emails.js';
export { judgeFailure, type OutgoingMessage, openSmtp, type Smtp, withoutSmtpSecrets } from './mail/smtp.js';
export { sendTestMail, type TestMailInput } from './mail/test-mail.js';
export { type Choice, changePreferences, loadPreferences, type Preferences } from './preferences.js';
export { forgetIncidentEmails, pruneAccountEmails, pruneEmails } from './prune-emails.js';
export { type AccountEmailContent, type NewAccountEmail, queueAccountEmail } from './queue-account-email.js';
export { queueOwnerNotice } from './queue-owner-notice.js';
export { liftSuppression, removeSubscriber } from './remove-subscriber.js';
export { resendSubscriberEmail } from './resend-email.js';
export { requestSubscription, takesSignUps } from './sign-up.js';
