export {
  type AccountEmailContent,
  type NewAccountEmail,
  pruneAccountEmails,
  queueAccountEmail,
} from './account-emails.js';
export { countRecipients, listLateEmails, loadMailStanding } from './audience.js';
export { type ChatSubscriber, listChatSubscribers, removeChatSubscriber } from './chats/chats.js';
export { type ChatSignUp, requestChatSubscription } from './chats/request-chat.js';
export {
  type Choice,
  changePreferences,
  loadPreferences,
  type Preferences,
} from './choice.js';
export { sendConfirmation } from './confirmation-mail.js';
export { listSubscriberEmails, pruneEmails, resendSubscriberEmail, type SubscriberEmail } from './emails.js';
export { type ImportedRow, importSubscribers, type SubscriberImport } from './import.js';
export { countIncidentEmails, forgetIncidentEmails } from './incident-emails.js';
export { type AddressListInput, type ListedAddress, listAddresses, listSubscribers } from './lists.js';
export { type EmailLoopDeps, startEmailLoop } from './mail/loop.js';
export { previewAnnouncement } from './mail/preview.js';
export { sendTestMail, type TestMailInput } from './mail/test-mail.js';
export { queueOwnerNotice } from './notices.js';
export { type Subscriber, subscriberState } from './subscriber.js';
export {
  type AddedSubscriber,
  addSubscriber,
  liftSuppression,
  loadSubscriber,
  removeSubscriber,
} from './subscribers.js';
export {
  type ConfirmationLink,
  confirmSubscriber,
  forgetUnconfirmedSubscribers,
  loadConfirmationLink,
  requestSubscription,
  takesSignUps,
  unsubscribeSubscriber,
} from './subscriptions.js';
