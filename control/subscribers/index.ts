export { listSubscriberEmails, pruneEmails, resendSubscriberEmail, type SubscriberEmail } from './emails.js';
export { type EmailLoopDeps, startEmailLoop } from './mail/loop.js';
export { queueOwnerNotice } from './notices.js';
export {
  addSubscriber,
  liftSuppression,
  listSubscribers,
  loadSubscriber,
  removeSubscriber,
  type Subscriber,
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
