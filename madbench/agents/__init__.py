"""Agents: private conversations that a protocol asks, each through one declared observation."""

from madbench.agents.agent import Agent, Memory
from madbench.agents.episode import Cast, Episode, Scene
from madbench.agents.leaks import Audit, audit
from madbench.agents.order import Spent
from madbench.agents.prompts import prompt_hashes, template
from madbench.agents.roles import settings_of
from madbench.agents.together import together

__all__ = [
    "Agent",
    "Audit",
    "Cast",
    "Episode",
    "Memory",
    "Scene",
    "Spent",
    "audit",
    "prompt_hashes",
    "settings_of",
    "template",
    "together",
]
