/**
 * Addresses of the receivers that readers name: public ones, because nothing of readers may go to private networks. To the
 * service each is a host of its own.
 */
export const publicReceivers = Array.from({ length: 30 }, (_, place) => `11.0.0.${place + 1}`);
