// Every fault of the DNS kinds. What a server answered is always in the text: its rcode by name.

import { defineFaults } from "../../base/faults.ts"

export const dnsFault = defineFaults({
  "SPT-DNS-001": {
    fault: "retry",
    text: "cannot read a DNS message: {cause}",
    hint: "nothing was concluded from it; check that the address is a name server's",
  },
  "SPT-DNS-002": {
    fault: "stuck",
    text: "cannot use the name {name}: {cause}",
    hint: "write names as `www` (inside the zone) or `www.example.org.` (with a dot at the end)",
  },
  "SPT-DNS-003": {
    fault: "stuck",
    text: "cannot use the {type} value {value}: {cause}",
    hint: "write values as in a zone file, with absolute names: `10 mail.example.org.`",
  },
  "SPT-DNS-004": {
    fault: "retry",
    text: "cannot believe the answer of {server}: {cause}",
    hint: "nothing was concluded from it; check the TSIG key, its name, and both clocks",
  },
  "SPT-DNS-005": {
    fault: "retry",
    text: "cannot transfer {zone} from {server}: {cause}",
    hint: "nothing is taken for absent; let the key transfer the zone (allow-transfer, acl)",
  },
  "SPT-DNS-006": {
    fault: "retry",
    text: "cannot change {zone} at {server}: {cause}",
    hint: "it may or may not have happened; the zone is read before the next act",
  },
  "SPT-DNS-007": {
    fault: "stuck",
    text: "cannot use the key for {zone}: {cause}",
    hint: "give `key`, `keyFrom` (a Secret) or `keyFile` (as tsig-keygen writes it) on the DnsZone",
  },
  "SPT-DNS-008": {
    fault: "stuck",
    text: "cannot read the zone file {place}: {cause}",
    hint: "correct that line; `named-checkzone ZONE FILE` reads the same format",
  },
  "SPT-DNS-010": {
    fault: "retry",
    text: "cannot reach {zone} at {server}: its key is not known yet",
    hint: "it comes with the DnsZone that the records refer to; `setpoint explain` shows that one",
  },
  "SPT-DNS-011": {
    fault: "stuck",
    text: "cannot import the zone {zone}: {cause}",
    hint: "add --scope server=192.0.2.1:53 and --scope keyFile=..., or --scope zoneFile=FILE",
  },
})
