-- Sign-ins that are being checked hold a place among the failures that are allowed, and give it back when they succeed.

-- An instance of the previous version counts its attempts as failures until they succeed, as it did.
alter table sign_in_failures add column in_flight integer not null default 0;
alter table sign_in_failures add column in_flight_until timestamptz;
comment on column sign_in_failures.in_flight is 'How many of the requests are being checked; they count as failures after in_flight_until, as when their process has ended';
