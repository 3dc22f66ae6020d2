"""An identity provider that vouches for people (OpenID Connect), where one is configured."""

import os
from typing import NamedTuple
from urllib.parse import urlsplit

from db.tables import Role
from workflow.errors import RatchetError

ISSUER, CLIENT_ID = "RATCHET_OIDC_ISSUER", "RATCHET_OIDC_CLIENT_ID"
CLIENT_SECRET, DOMAINS = "RATCHET_OIDC_CLIENT_SECRET", "RATCHET_OIDC_DOMAINS"
ROLE = "RATCHET_OIDC_ROLE"


class Provider(NamedTuple):
    """A provider; who has a verified address of these domains may come in without invitation."""

    issuer: str
    client_id: str
    client_secret: str
    domains: tuple[str, ...]
    role: Role


def is_configured() -> bool:
    """Whether people may come in by a provider."""
    return bool(os.environ.get(ISSUER))


def read_provider() -> Provider:
    """The provider that the environment names.

    Raises:
        RatchetError: there is none, or a variable is missing or no good.
    """
    values = {name: os.environ.get(name, "") for name in (ISSUER, CLIENT_ID, CLIENT_SECRET)}
    missing = [name for name, value in values.items() if not value]
    if missing:
        raise RatchetError(
            f"{', '.join(missing)} is not set; an identity provider needs all of"
            f" {', '.join(values)}."
        )
    issuer = values[ISSUER].rstrip("/")
    if urlsplit(issuer).scheme not in {"https", "http"}:
        raise RatchetError(f"{ISSUER} is {issuer!r}; an address with https:// was expected.")
    role = os.environ.get(ROLE) or Role.ANNOTATOR
    if role not in tuple(Role):
        raise RatchetError(f"{ROLE} is {role!r}; one of {', '.join(Role)} was expected.")
    domains = os.environ.get(DOMAINS, "").lower().replace(",", " ").split()
    return Provider(issuer, values[CLIENT_ID], values[CLIENT_SECRET], tuple(domains), Role(role))
