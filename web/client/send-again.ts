/** Sends a form again that the service was too busy for, after the seconds that it asks to wait. */
export {};

const form = document.querySelector<HTMLFormElement>('form[data-send-again-seconds]');
const seconds = Number(form?.dataset['sendAgainSeconds']);
if (form !== null && seconds > 0) setTimeout(() => form.requestSubmit(), seconds * 1000);
